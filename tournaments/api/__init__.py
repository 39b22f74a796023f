"""The API: everything the pages do, for programs; the same queries, services and permissions."""
