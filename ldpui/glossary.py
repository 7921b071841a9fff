"""The words of the dashboard: what each term means, for somebody who meets it for the first time."""

from __future__ import annotations

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui.format import listed

EPS = """**ε (epsilon), the privacy budget.** How much one report may say about its sender.
Whatever a user sends, no guess about the true value becomes more than $e^ε$ times as likely as it
was. ε = 0.1 says almost nothing, ε = 1 is strong privacy, ε = 10 nearly gives the value away.

$$\\Pr[y \\mid v] \\le e^{ε}\\,\\Pr[y \\mid v']$$"""

EPS_INF = """**ε∞, the budget of all reports together.** A user who reports again and again keeps one
noisy answer in memory and blurs it afresh each time. However often that happens, an observer never
learns more than ε∞ about a value that stays the same."""

SHARE = """**ε₁ as a share of ε∞.** What the first report alone may reveal. The smaller the share, the more
noise each report carries, and the more reports it takes to come near ε∞."""

K = """**k, the number of bins.** Every user's value falls into one of them: a range of numbers, one whole number,
some days or months, or a category, as the data are. More bins show more detail, but each holds fewer
users, and the noise has more places to go."""

N = """**n, the number of users.** The noise of an estimate shrinks like $1/\\sqrt{n}$; what IBU misses by
stopping early does not. The simulation draws the server's counts directly, so a thousand million users cost no more
time than a hundred."""

DATA = """What the users hold: one value each, drawn from this distribution. *Your data* is a column that you bring on
the page of that name."""

RESAMPLE = """Off: the users are the rows of your data. On: as many users as the slider says, drawn from your rows
with replacement, to see what more or fewer of them would give."""

OWN_LINK = """This address holds your settings, not your data: whoever opens it must bring the data, on the page
*Your data*."""

NO_DATA = """This page is set to the visitor's own data, and there is none in this session: a link holds the settings
only, and data is forgotten when its page is closed or loaded anew, or its connection lost. Bring it
on the page *Your data*, or choose other data under *Data*, which a presentation does not show."""

SUPPORT = """**Support.** A noisy report does not name a value, it *supports* some: those that it speaks
for. The server counts, for each value, how many reports support it. A report supports its sender's own
value with probability $p$ and any other one with the smaller probability $q$."""

MI = """**MI, Matrix Inversion.** The server knows how often noise alone supports a value, takes that away, and
rescales. Simple and quick; but noise makes some estimates negative, so they are set to 0 and the rest is
rescaled to 100%.

$$\\tilde f_v = \\frac{C_v/n - q}{p - q}$$"""

RAW = """**Raw MI.** What noise alone would give is taken away, and nothing else is done. It is right on average, but
noise makes some bins negative, and together they need not be 100%. MI sets those to 0 and rescales the rest, which
takes from the large bins."""

BOOTSTRAP = """A bootstrap of a biased estimate, such as IBU, moves around the estimate and misses what the estimate
misses."""

INTERVALS = f"""**95% intervals.** For each bin, where the share of the users may be: in about 19 of 20 collections, or
more, the interval holds it. They are raw MI's, cut to 0 to 100%, and the same for all estimators: an interval belongs
to the truth of its bin, not to an estimator. {BOOTSTRAP} An estimate outside is one that the count of its bin speaks
against."""

OBSERVED = """**What the server saw.** The share of the reports that support each value, before anything is undone. A
report may support one value, several or none, so the shares need not add up to 100%; noise alone gives every value the
share $q$."""

IBU = """**IBU, Iterative Bayesian Update.** Starts from a guess (all values equally likely), asks how the
reports would look if it were true, and moves the guess towards what was really seen; again and again. Every
guess is a histogram already, so nothing has to be cut off at 0 and rescaled as in MI. It uses the same reports as MI:
no more privacy is spent.

$$\\theta \\leftarrow \\theta \\cdot A\\left(\\varphi / (A\\theta)\\right)$$"""

LIMIT = """**IBU's limit.** Where IBU would arrive after infinitely many steps. It has a closed form, so nobody has to
wait for it. Where every report supports one value, it is the histogram that makes the counts most likely; for the other
mechanisms only nearly, because IBU reads the counts as if it were so."""

FULL = """**Full-report IBU.** MI and IBU look only at how often each value is supported. The reports say more:
*which* values are supported together. This estimator uses all of that; it needs every report, not only
the counts."""

GAMMA = """**Γ (gamma), the utility gain.** How much of MI's error IBU takes away, in percent. 0% means no
better (a loss counts as 0, as in the paper), 100% would mean no error left. Γ is an average of the runs' own gains;
a comparison of the average errors can differ a little.

$$\\Gamma = 100\\cdot\\max\\left(\\frac{E_\\mathrm{MI} - E_\\mathrm{IBU}}{E_\\mathrm{MI}}, 0\\right)$$"""

MSE = """**MSE, mean squared error.** The average over the bins of (estimate − truth)². Large errors count
more than small ones. The square root of it, times 100, is an error in percentage points, as on the chart."""

POINTS = """**Off by so many points.** The root of the mean squared error over all bins and runs, in percentage points
as on the chart: a bin that holds 5% and is estimated at 5.6% is off by 0.6 points. Large errors count more than small
ones.

The percentage after it compares the mean squared errors of the two; a loss is counted as one."""

ALTERNATIVE = """The paper's MI is the weakest of its kind, so the better of two others stands beside it. **Norm-Sub**:
the same is taken from every bin and what falls below 0 is cut off, so that the sum is 100%. **PowerNS**: every bin is
pulled towards what a power law would expect first. Which is better is known here because the truth is; *auto*, which
*All estimators* below can try too, chooses by the counts alone."""

AUTO = """**auto** splits what was collected into halves, many times, fits every other estimator on one half and lets
the other half judge it; then the best is fitted on all. It sees nothing but the counts, so it costs no privacy. It
takes much longer than the others: seconds where they take a moment."""

BIAS_AND_VARIANCE = """The mean squared error is the sum of two: **bias²**, how far the mean of all collections is from
the truth, and **variance**, how far one collection is from that mean. Estimators that lean towards something, as IBU
stopped early leans towards uniform, trade the second for the first. With few runs bias² can come out a little below
0."""

RISK = """**What one report gives away.** Somebody sees one report and names the bin that is most likely behind it.
To the first observer all bins are equally likely beforehand. The second knows the true share of every bin, and names
the largest one if there is no report to go by."""

COLLECTIONS = """*many*: the mean estimate over all simulated collections, with a band that holds 90% of them. *one*:
what a server has, which collects once. *Collect again* goes on to the next of the simulated collections: the same
users, with fresh noise."""

MAE = """**MAE, mean absolute error.** The average over the bins of |estimate − truth|."""

EFFECTIVE = """**Effective ε.** What one report really gives away. Some mechanisms promise ε and use less:
privacy that was paid for with noise, but not needed."""

BITS = (
    """**Bits per report.** How much each user has to send, as information: log₂ of the number of possible reports."""
)

RUNS = """**Runs.** The noise is drawn this many times for the same users. What is shown is an average over these runs,
and bands hold the middle 90% of them, unless the chart is told to show *one* collection."""

SEED = """**Seed.** The number that decides all randomness: the same seed gives the same picture."""

ITERATIONS = """**Iterations.** How many steps IBU takes at the most. The paper stops at 10,000. Stopping early is
not only impatience: from a uniform start it pulls the estimate towards uniform."""

CONVERGED = """**Converged.** IBU has come to rest when a step is smaller than the tolerance, 10⁻¹² unless *Advanced*
says otherwise. A run that has not would still change if it went on."""

LAB_COLLECTION = """The lab follows IBU on one collection: what a server has, which collects once. *Collect again* goes
on to the next of the simulated ones: the same users, with fresh noise."""

LAB_POINTS = """**Off by so many points.** The root of the mean squared error over all bins, in percentage points, in
this one collection. Which step was nearest to the truth is known here because the truth is; a server can't see it."""

LAB_MARKS = """Numbers of steps that mean something.
- **the paper**: 10,000, where the paper stops.
- **stopping rule**: where a step is smaller than the tolerance (10⁻¹² unless *Advanced* says otherwise).
- **cross-validation**: what the counts themselves choose. Each half of the users judges what IBU makes of the other
half. It needs no truth.
- **best in hindsight**: the step that is nearest to the truth. Only a simulation can know it.
- **T**: IBU's clock. Where T is large, so many steps from equal bins are about 63% of the way to its limit; where it is
small, they are more."""

LAB_STARTS = """IBU needs somewhere to start. All starts without a 0 lead to the same limit; after a limited number of
steps the start still shows. *the counts*: the support counts, one added to each. *MI*: the MI estimate, one user added
to each bin. *your own*: any shape."""

LAB_OWN = """Numbers from 0 up, with spaces or commas between them: one for each bin, or fewer, which then stand for a
shape that is stretched over all bins. They are scaled to a sum of 1. Every bin must have something: IBU never leaves
a 0."""

CLOCK = """**T, IBU's clock.** Near the uniform start every step shortens the distance to the limit by the same factor,
1 − 1/T. So t steps go the share 1 − (1 − 1/T)ᵗ of the way, whatever the data are. T grows like k².

$$T = \\left(\\frac{p + (k-1)q}{p - q}\\right)^2$$"""

METRIC = "\n".join(
    [
        "How far an estimated histogram is from the true one.",
        *(f"- **{record.name}**: {record.summary}" for record in RECORDS.values()),
    ]
)

SOLVE = """*how accurate*: you know ε and the users, and ask for the error. *which ε*: you know how accurate it must be,
and ask how little privacy has to be spent. *how many users*: you know ε and the accuracy."""

GOAL = """Two ways to say how good the estimated histogram must be.
- **every bin**: all bins at once lie within ± so many percentage points of the truth, in 95 of 100 collections.
- **total variation**: the share of users that would have to move to another bin to turn the estimated histogram into
the true one, on average over many collections. 0.05 is 5% of the users.

The truth is the histogram of the users who report: how well they stand for everybody else is another question."""

GUESS_ONCE = """**Guessed from one report.** Somebody sees one report and names the value that it speaks for most.
This is how often the guess is right, if all values were equally likely before. A blind guess is right once in k
times."""

GUESS_KNOWING = """**Guessed from one report, knowing the shares.** The same for somebody who knows how common each
value is, and names the likeliest. Without any report such an attacker always names the commonest value: where this is
no more than its share, one report changes no mind. For the data chosen above, and exact."""

GUESS_MANY = """**Guessed after 100 reports** of the same user, whose value does not change. The noise that is drawn
afresh averages out; what the user drew once and keeps does not."""

GUESS_EVER = """**Guessed after any number of reports.** The memo, the noisy answer that each user draws once and keeps,
is all that can ever be seen: here the chance stops. Without a memo it would go to 100%."""

NEEDED = """**What it takes.** Found by simulation at a few places around the answer; between *from* and *to* the noise
of the simulation can't decide (95%). For raw MI there is a closed form: the law of every bin's count is known, and
added up exactly where counts are small. Numbers are rounded up, *from* down. Whole counts do not allow every share:
with few users *95%* may be a little more, never less."""

CANT_KNOW = """
- **The real distribution.** If it were known, nobody would have to ask. The numbers above hold for the data chosen
above; *other data* shows how far the ranking moves.
- **Who does not answer.** Drop-outs and lies are not in the error. If those who stay away differ from those who answer,
no number of users helps.
- **Values that change.** Repeated reports are covered for a user whose value stays. Each new value draws a new memo,
and costs up to ε∞ again. *That* a value has changed is in no such sum, nor is that a memo makes a user recognisable:
*Over time* has the numbers.
- **Other questions.** The ε of this one adds to that of every other question asked of the same people, and questions
that go together, such as age and income, give each other away.
- **How small ε must be.** That is a promise to people, not a result of a calculation. ε = 1 lets a report make a guess
up to about 2.7 times as likely, ε = 4 up to about 55 times.
- **Whether the software keeps its promise.** Everything here takes for granted that devices draw their noise as
described, and that nobody links reports by address or time."""

BARE = """Switch on if the first line of a CSV file is data already, not the names of the columns."""

PAPER_VALUES = """*printed in the paper*: the published number. *reproduced*: computed here with the paper's binning,
channel and 10,000 iterations. *exact channel*: the same with the mechanisms' true probabilities. *at convergence*: the
exact channel, and IBU's limit instead of 10,000 iterations."""

PAPER_FIGURES = {
    "Figure 1": "Errors of MI and IBU for the one-time mechanisms, ACS income, n = 20,000, k = 100; Γ above the bars.",
    "Figure 2": "As Figure 1, for the longitudinal mechanisms.",
    "Figure 3": "Γ by distribution, pooled over the one-time mechanisms, against ε, n and k.",
    "Figure 4": "Γ by distribution, pooled over the longitudinal mechanisms, against ε₁, n and k.",
}

CITATION = """Héber H. Arcolezi, Selene Cerna and Catuscia Palamidessi. *On the Utility Gain of Iterative Bayesian
Update for Locally Differentially Private Mechanisms.* DBSec 2023, LNCS 13942.
[doi:10.1007/978-3-031-37586-6_11](https://doi.org/10.1007/978-3-031-37586-6_11)"""


# ---- what only some mechanisms have -------------------------------------------------


def with_a_published_channel() -> str:
    """Name the mechanisms whose published channel is not the exact one.

    >>> with_a_published_channel()
    'L-GRR, L-BLH and L-OLH'
    """
    return listed([name for name in _ALL if ldp.mechanism_class(name).channel_matters()])


def with_two_calibrations() -> str:
    """Name the mechanisms whose published calibration is not the tight one.

    >>> with_two_calibrations()
    'L-GRR and L-OLH'
    """
    return listed([name for name in _ALL if ldp.mechanism_class(name).calibration_matters])


def channel() -> str:
    """Explain IBU's channel."""
    return (
        "What IBU believes about the mechanism. *exact*: the true probabilities. *published*: what the paper's code "
        f"uses; it differs for {with_a_published_channel()}, where it is not the mechanism's."
    )


def calibration() -> str:
    """Explain the calibrations."""
    return (
        f"How the second round of {with_two_calibrations()} is set. *published*: as in the paper, which spends less "
        "than ε₁. *tight*: so that the first report costs exactly ε₁."
    )


_ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
