"""What every folder uses: input, checks, scaling, threads, progress, names.

sources, parquet → validation → scaling      how X and y are opened, checked and scaled, once
threads, thread_pool, blas_threads, parallel  how work runs side by side and is interrupted
progress, sampling, wording, display_names    what users see, and subsamples by class
"""
