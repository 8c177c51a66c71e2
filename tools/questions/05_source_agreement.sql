-- How often do two label sources agree on the first error?
SELECT * FROM source_agreement ORDER BY label_source, other_label_source
