"""Who stands where and why, in a tournament and in the league of a season."""
