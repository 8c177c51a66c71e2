-- How well do two labelers agree, beyond chance?
SELECT labeler, other_labeler, num_texts, agreement, kappa FROM labeler_agreement ORDER BY labeler, other_labeler
