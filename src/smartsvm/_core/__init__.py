"""Parts that every folder uses: input, checks, scaling, threads, files.

points                                        X behind the door: what it holds, where it lives
sources (npy_files, parquet), devices         where X and y come from, and where calls compute
validation, checked_labels (labels)            how they and the options are checked
safe_range (magnitudes), column_scales        the two scales of points: for kernels, for users
arithmetic                                    warnings of numpy that our arithmetic expects
threads, thread_pool, blas_threads, parallel  how work runs side by side and is interrupted
checksums, sampling                           whether what was stored is whole; subsamples
types, version                                the types of parameters; the version
wilson, clearly                               limits of a share; when a difference is clear
"""
