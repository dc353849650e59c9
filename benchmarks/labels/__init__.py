"""Label errors on networks, real tables and problems with planted noise, beside other tools."""
