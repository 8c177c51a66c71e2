-- How many labels has each source given, in which round?
SELECT * FROM labels_by_round ORDER BY label_source, round
