"""What a pipeline pays for `import smartsvm`."""


class Import:
    def timeraw_import(self):
        return "import smartsvm"
