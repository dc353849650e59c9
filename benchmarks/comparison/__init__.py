"""Do samples differ, and which representation is better: size, power and false claims."""
