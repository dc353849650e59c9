"""Rules whose left-out values come in closed form or out of bag; report and classifier use them."""
