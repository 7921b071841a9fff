"""What the page Your reports says of its controls and of its results, in Markdown."""

from __future__ import annotations

from ldpui import glossary

MECHANISM = """What the users' devices ran to blur the values. The first seven report once; those with *L-*
are longitudinal: they keep a first blurred answer in memory and blur it again at every report."""

K = """**k, the number of possible values.** They are numbered 0 to k − 1, as the mechanism was told."""

HOLDS = """*reports*: one row for each user, as it was sent. *support counts*: one row for each value, with
the number of reports that support it."""

N = """**n, the number of reports.** A report of this mechanism supports no fixed number of values, so the
counts alone do not say how many reports there were."""

EACH = """Usually all users have the same privacy budget ε. If each chose their own, a column of the file
says which: then MI weighs every group by how little noise it has, and full-report IBU gives each report its own
likelihood ratio."""

FAMILY = """Which hash functions the seeds name. *splitmix64* is this project's own; multi-freq-ldpy and
pure-ldp take *xxh32* of the value as text. With the wrong one every estimate is noise."""

PAIR = """Columns called *seed* and *value* are found by their names. Two columns with other names, or
without a header, are read in this order; multi-freq-ldpy and pure-ldp have the value first."""

NAMES = """Names for the values 0, 1, 2, …, in this order and as many as there are values. They stand in the
chart, in the table and in what you download, and are not in the address."""

WORDS = """Switch on if a report is the name of a value, such as *red*, and not its number. The values are then
the names above, or, if there are none, the different words of the column in alphabetical order."""

FIRST_LINE = """The first line was read as the names of the columns, but looks like a report. If it is one,
switch on *CSV without a header*."""

CALIBRATION = """How the second round was set. *published*: as in the paper and in multi-freq-ldpy, which
spends less than ε₁. *tight*: so that the first report costs exactly ε₁."""

COLUMNS = """Only needed where the file has other columns too, such as the number of the user."""

RAW = """**Raw MI.** The unbiased estimate that the 95% intervals belong to. Noise can make it negative:
that is no mistake, and the interval then says how far from 0 the truth may be."""

NOISE = """**Noise only, 95%.** For the users who reported: in 19 of 20 collections the interval holds the
share of *them* that has this value. All that is uncertain is the noise which the mechanism added. Where users have
different ε, the share is that among all of them, each counted once, though reports with less noise weigh more in the
estimate: what chance did in sharing the users out is part of the interval. Both intervals are approximate then, and
hold less where the ε that weigh most have few reports, or hardly any is expected of a value."""

POPULATION = """**Noise with sampling, 95%.** For the population that the users are a random sample of: in
19 of 20 collections the interval holds the share in the whole population. It adds what is uncertain in any
survey."""

OTHERS = f"""**Around IBU, auto and the others** stand the same intervals, cut to 0 to 100%: an interval belongs
to the truth of a value, not to an estimator. {glossary.BOOTSTRAP}"""

ORDERED = """Switch on if neighbouring values are alike, as ranges of ages are and colours are not: then auto
may also smooth over neighbours."""

FIT = """**Does it fit?** Mechanism, ε and k say how many values a report supports on average, whatever the
users hold. If the file has far more or fewer, something was said wrong. The p-value is the chance of a gap at least
this wide if all was said right; below 0.001 the alarm goes off. A single value whose count no data can explain is
named: its bit was not randomized. Different ε are checked each alone and, but for GRR, L-GRR and SS, all together.
Where chance makes hardly any two reports alike (hashed ones, and bits or sets of many values), it is seen too whether
users share their noise, or some reports are there twice. Sets may give true values away by their order: that is seen
where some values are more frequent than others.

A tick means that another ε, larger by 1 or smaller by 1, would have been noticed. *Can't be checked* means that it
would not: with few reports, with hashed reports where k may be wrong, and always with GRR, L-GRR and SS, whose reports
support the same number of values whatever ε is. There only rare values can raise an alarm, and only at a larger ε."""
