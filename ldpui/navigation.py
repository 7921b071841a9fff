"""The table of pages, and what surrounds each of them: the sidebar, notes on the link, a sentence for a failure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import Literal, ParamSpec
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx

import ldpcore as ldp
from ldpui import brand, failures, glossary, session, sidebar, style, theme
from ldpui.address import link_box, links, notes, vocabulary
from ldpui.computing import compute
from ldpui.own import NoDataError
from ldpui.serving import leaving, turns

P = ParamSpec("P")
_WAY_OUT = "Your settings are kept in the address; try another setting, or press Reset."


@dataclass(frozen=True)
class Page:
    """A page: its function, and how it stands in the navigation.

    Attributes
    ----------
    draw : callable
        Draws the page; takes the setting if the page needs one.
    address : str
        The path of its URL; that of the first page is empty.
    icon : str
        Name of a Material symbol.
    needs : str
        "setting": the page works on what the shared controls say, which stand in the sidebar and above the page.
        "nothing": the page has no use for them, and they are not there. "asks": it draws them itself.
    ahead : callable, optional
        Begins what the page is going to compute first, with a setting: that can go on while the controls are drawn.
    """

    draw: Callable[..., None]
    section: str
    title: str
    address: str
    icon: str
    needs: Literal["setting", "nothing", "asks"] = "setting"
    ahead: Callable[[ldp.Setting], None] | None = None

    def __post_init__(self) -> None:
        try:
            inspect.signature(self.draw).bind(*self._arguments(None))
        except TypeError as problem:
            message = f"the page {self.title} needs {self.needs!r}, and its function is another: {problem}"
            raise TypeError(message) from None

    def _arguments(self, setting: ldp.Setting | None) -> tuple[ldp.Setting | None, ...]:
        """Return what its function takes."""
        return (setting,) if self.needs == "setting" else ()

    def show(self) -> None:
        """Draw the page, with what the shared controls say if it needs that."""
        self.draw(*self._arguments(session.current().setting))


def show(pages: Sequence[Page]) -> None:
    """Draw the navigation, the shared widgets, and the page that the reader is on, when it is the reader's turn."""
    with turns.turn(), compute.beginnings():
        _show(pages)


def _show(pages: Sequence[Page]) -> None:
    leaving.watch()
    session.current().count_texts()
    # Before the navigation: it would make the icon of the page that of the tab, which browsers fetch from elsewhere.
    st.set_page_config(page_icon=brand.ICON, layout="wide", menu_items={"About": brand.ABOUT})
    st.logo(brand.wordmark(theme.is_dark()), size="large")
    registered = {
        page.address: st.Page(
            partial(_draw, page),
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path=page.address,
            default=page is pages[0],
        )
        for page in pages
    }
    session.current().pages = registered
    sections: dict[str, list[st.Page]] = {}
    for page in pages:
        sections.setdefault(page.section, []).append(registered[page.address])
    _let_go_of_the_controls(pages, registered)
    # Folded, it would hide the last pages.
    current = st.navigation(sections, expanded=True)
    here = session.current()
    if here.go_to is not None:
        target, here.go_to = registered[here.go_to], None
        st.switch_page(target, query_params={})
    # Not within the page: a widget that is drawn there belongs to it, and is another one on the next page.
    page = next(page for page in pages if page.address == current.url_path)
    st.set_page_config(page_title=f"{page.title} · {brand.NAME}")
    if _shared_widgets(page):
        current.run()


def page_link(address: str, label: str | None = None) -> None:
    """Draw a link to a page, with its own title and icon."""
    page = session.current().pages[address]
    st.page_link(page, label=label, icon=page.icon, width="content")


def _shared_widgets(page: Page) -> bool:
    """Draw what all pages share; tell whether the page can be drawn."""
    _keep_settings_on_the_way_back(page)
    # Before any widget: the widgets take what they can't use out of the URL.
    here = session.current()
    if here.own.choose:
        st.session_state["data"] = vocabulary.OWN
    here.own.choose = False
    # A run may be cut short by the next one: notes wait until they are shown.
    here.link_notes = links.notes_on_link() or here.link_notes
    here.setting = None
    here.drawn.clear()
    # A note stands on top of the page, and is drawn when the setting is known.
    note = notes.take_up(page.address)
    top = st.container() if note else None
    # The page's title stands above the controls that are drawn before the page.
    here.head = st.container(key="head")
    if here.link_notes:
        st.warning("\n\n".join(here.link_notes), icon=":material/link_off:")
    if here.text_problem is not None:
        st.error(here.text_problem, icon=":material/error:")
    links.take_up()
    style.apply(theme.is_dark(), bool(links.value("present")))
    if page.needs == "nothing":
        with st.sidebar:
            link_box.draw(shared=False)
    elif page.needs == "setting":
        try:
            _look_ahead(page)
            here.setting = sidebar.sidebar()
        except Exception as error:
            with here.head:
                st.title(page.title, anchor=False)
                _offer_to_leave()
            _explain(error)
    here.link_notes = []
    if note is not None and top is not None:
        with top:
            notes.draw(note, here.setting)
    return here.setting is not None or page.needs != "setting"


def _look_ahead(page: Page) -> None:
    """Have begun what the page will compute, if that is known before the controls are drawn."""
    # What fails here fails again where the page computes it, and is explained there.
    with suppress(Exception):
        if page.ahead is not None and (setting := sidebar.foreseen()) is not None:
            page.ahead(setting)


def _let_go_of_the_controls(pages: Sequence[Page], registered: dict[str, st.Page]) -> None:
    """On the way to a page that does not have the sidebar's controls, take them out of the address before it is drawn.

    Streamlit does so when the page has been drawn. By then the browser may have been told which page it is on: then it
    has that page twice in its history, and one step back leads nowhere. What a page asks for itself stays.
    """
    run = get_script_run_ctx()
    # What is asked of Streamlit here is its own, and may be called otherwise some day; then going back takes one step
    # more.
    with suppress(AttributeError):
        needs = {registered[page.address]._script_hash: page.needs for page in pages}
        here = "setting" if run is None else needs.get(run.page_script_hash, "setting")
        if run is not None and here != "setting":
            _unbind(run, whole=here == "nothing")


def _unbind(run: ScriptRunContext, *, whole: bool) -> None:
    """Take the sidebar's controls out of the address; `whole` also takes those that another page had drawn itself."""
    with run.session_state.query_params() as address:
        bindings = [address.get_binding_for_param(key) for key in links.CONTROLS]
        outside = {one.widget_id for one in bindings if one and one.script_hash == run.pages_manager.main_script_hash}
        if whole:
            within = frozenset(one.widget_id for one in bindings if one and one.widget_id not in outside)
            address.remove_stale_bindings(within)
        for widget in outside:
            address.unbind_widget(widget)


def _keep_settings_on_the_way_back(page: Page) -> None:
    """Keep the settings of the session where the browser's history leads to an address that does not say them all.

    A page that has no use for the shared controls has none of them in its address, and on the way to it Streamlit
    leaves an address without them in the history. And what the page that is left had asked for itself, Streamlit takes
    out of the address to go to. Going back there would set them to their defaults.
    """
    here = session.current()
    came_from, here.address = here.address, page.address
    run = get_script_run_ctx()
    if run is None or not getattr(run, "is_history_navigation", False) or came_from in (None, page.address):
        return
    left = {key for key in links.CONTROLS if key in st.query_params}
    keys_in_address = set(parse_qs(run.query_string, keep_blank_values=True))
    if not left or (keys_in_address & set(links.CONTROLS)) - left:
        run.is_history_navigation = False


def _draw(page: Page) -> None:
    """Draw a page."""
    with _calmly(page.title):
        page.show()


def part(title: str, every: float | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a part of a page that is drawn again without the page: when something in it is changed, or every so often.

    `every` is in seconds; without it nothing is drawn again by itself.
    """

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @st.fragment(run_every=every)
        @wraps(draw)
        def calmly(*arguments: P.args, **options: P.kwargs) -> None:
            # A click in it may lead to another page. (Where the page itself is drawn, nobody is on the way any more.)
            if session.current().go_to is not None:
                st.rerun()
            if _alone():
                session.current().count_texts()
            with turns.turn(), _calmly(title):
                draw(*arguments, **options)

        return calmly

    return decorate


def _alone() -> bool:
    """Tell whether a part is drawn without its page."""
    run = get_script_run_ctx()
    return bool(run is not None and run.fragment_ids_this_run)


@contextmanager
def _calmly(title: str) -> Iterator[None]:
    """Turn what fails on a page, or on a part of it, into a sentence."""
    try:
        yield
    except NoDataError:
        _ask_for_data()
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        reason = failures.reason(error, f"the page {title} was drawn")
        way_out = "" if isinstance(error, ldp.Refused) else f" {_WAY_OUT}"
        st.error(f"This can't be computed: {reason}.{way_out}", icon=":material/error:")


def _explain(error: Exception) -> None:
    """Say what is wrong with the settings, and the way out."""
    if isinstance(error, NoDataError):
        _ask_for_data()
        return
    reason = failures.reason(error, "the settings were read")
    st.error(
        f"These settings do not go together: {reason}. Change them (the parameters of the distribution are folded "
        "below the data), or press Reset.",
        icon=":material/error:",
    )


def _ask_for_data() -> None:
    st.info(glossary.NO_DATA, icon=":material/upload_file:")
    page_link("your_data")


def heading(question: str, *, way_in: str | None = None) -> None:
    """Draw the page's title and the one question that it answers; for beginners, a page to start with."""
    here = session.current()
    with here.head or st.container():
        st.title(here.pages[here.address or ""].title, anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", key="purpose"):
            st.markdown(question, width="content")
            _offer_to_leave()
            wanted = links.value("intro") == "on" and links.value(notes.KEY) is None
            if way_in is not None and wanted and not links.value("present"):
                _offer(way_in)


def _offer(way_in: str) -> None:
    """Offer a page to start with, until somebody wants no more of it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="intro", width="content"):
        page_link(way_in, f"New here? Start with {session.current().pages[way_in].title}")
        st.button("Hide", icon=":material/close:", key="hide_intro", type="tertiary", on_click=_hide_intro)


def _hide_intro() -> None:
    st.session_state["intro"] = st.query_params["intro"] = "off"


def _offer_to_leave() -> None:
    """Offer the way out of a presentation: it shows no sidebar, and so no other way to change what is wrong."""
    if links.value("present"):
        st.button("Leave the presentation", key="leave", type="tertiary", on_click=_leave)


def _leave() -> None:
    st.session_state["present"] = False
    if "present" in st.query_params:
        del st.query_params["present"]
