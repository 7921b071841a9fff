"""What a server does besides drawing pages: it starts, sends, notices who leaves, and obeys its host."""
