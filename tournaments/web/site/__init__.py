"""Pages of the site: home, guide, status, and the service worker."""
