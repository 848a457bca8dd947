% Lines in Octave: words.m CASE [cured].
words = argv ();
which = words{1};
cured = numel (words) > 1;
count = 6000;

if (strcmp (which, 'flush-each'))
  out = fopen ('log', 'w');
  if (cured)
    fprintf (out, "line %d\n", 0:count - 1);
  else
    for i = 0:count - 1
      fprintf (out, "line %d\n", i);
      fflush (out);
    end
  end
  fclose (out);
else % matrix-once
  out = fopen ('matrix', 'w');
  fwrite (out, rand (300), 'double');
  fclose (out);
  in = fopen ('matrix', 'r');
  assert (numel (fread (in, Inf, 'double')) == 300 ^ 2);
  fclose (in);
end
