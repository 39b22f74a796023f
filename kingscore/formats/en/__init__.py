"""English as in Britain, since 11/12 is read in two ways."""
