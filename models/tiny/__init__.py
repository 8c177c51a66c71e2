"""The tiny models: their tokenizer, the text they read, the training recipe and the shipped checkpoints."""
