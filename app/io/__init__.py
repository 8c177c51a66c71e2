"""Files that commands read and write. Leaves out: the commands, and their options (app/options.py)."""
