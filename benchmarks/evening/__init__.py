"""A big evening of a club, played over HTTP on one machine: tables write while others look on."""
