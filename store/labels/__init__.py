"""A label's way from a file to its table, and back out again (``reader``).

A step label has six forms on its way, and each is there for a reason:

1. The JSON object (or the rows of a table) as the file has it.
2. A ``StepLabel`` in a ``LabeledSolution``, what its format's reader makes of the object: all that the
   formats have in common. A reader that raises refuses the object, with its line.
3. The same in a ``LabelImport``, now with its line, some thousand lines together: memory stays bounded. A
   row that contradicts an earlier one of the file is refused here, and one that repeats it is a
   duplicate.
4. A frame, checked against the table and written to disk as Parquet (``frames``, ``stage``). So the file
   is read to its end before anything is stored, and the store is locked while rows are written, not while
   text is parsed.
5. A row of the view ``offered_step_labels`` over all these Parquet files (``offered``), which has no row
   that is left out. SQL compares it with what is stored (``contradictions``, ``alternatives``,
   ``counts``).
6. A row of the table ``step_labels``, inserted from the disk in the file's order (``writer``).

A rating that people gave to an alternative to a step goes the same way, to ``human_labels``. It is a step
label as well, and has seven forms on the way to that: object, ``HumanLabel``, ``LabelImport``,
``RatedAlternative``, frame, ``offered_rated_alternatives``, table. A problem_id has nine: it is made for
a ``Problem``, goes into its ``ImportedSolution`` and a ``LabelImport``, into a frame, an offered view,
the frame that ``write_problems`` compares with what is stored, and into three tables, ``problems``,
``problem_roles`` and ``solutions``.

``store_labels`` in ``storing`` goes all the way. Where the file contradicts what is stored
(``Contradicted``), nothing of it is written: it is read again with that at hand, and the rows that
contradict are refused as they are read. A row that was compared with one of them may be sound. Leaves
out: the formats (``stepmark.labeling.formats``).
"""
