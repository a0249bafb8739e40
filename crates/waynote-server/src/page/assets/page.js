// Makes the page live. Without this file everything works too: by links, forms and reloading.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("script");
  const store = document.body.dataset.store;
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const isTyping = (element) => element && element.matches("input:not([type=hidden], [type=range], [type=checkbox]), textarea, select");

  // Fragments: what is marked with data-live is replaced by what the server shows now.
  const typed = (part) => $$("[data-keep]", part).some((form) => $$("textarea, input", form).some((of) => of.value !== of.defaultValue));
  function swap(text, byOthers) {
    const next = new DOMParser().parseFromString(text, "text/html");
    for (const part of $$("[data-live]")) {
      const other = $(`[data-live="${part.dataset.live}"]`, next);
      if (!other || other.innerHTML === part.innerHTML) continue;
      const focus = part.contains(document.activeElement) ? document.activeElement : null;
      if (isTyping(focus) || typed(part)) continue;
      const known = new Map($$("[data-key]", part).map((of) => [of.dataset.key, of.dataset.rev]));
      const open = $$("details", part).map((of) => of.open);
      const href = focus && focus.getAttribute("href");
      const scroller = () => $(".scroll", part) ?? part;
      const scroll = scroller().scrollTop;
      part.replaceChildren(...other.childNodes);
      if (byOthers) {
        $$("details", part).forEach((of, index) => { if (index in open) of.open = open[index]; });
        for (const of of $$("[data-key]", part)) if (known.get(of.dataset.key) !== of.dataset.rev) of.classList.add("fresh");
        scroller().scrollTop = scroll;
      }
      if (href) $$("a", part).find((of) => of.getAttribute("href") === href)?.focus({ preventScroll: true });
    }
    const [reading, was] = [$(".three", next), $(".three")];
    if (reading && was) was.className = reading.className;
    document.title = next.title;
    lists();
  }

  let asked = 0;
  async function show(url, byOthers) {
    const mine = ++asked;
    const answer = await fetch(url, { headers: { accept: "text/html" } }).catch(() => null);
    // 400: something that was typed cannot be used, and the page says what.
    const text = (answer?.ok || answer?.status === 400) && await answer.text();
    if (text && mine === asked) swap(text, byOthers);
    return mine === asked;
  }

  // Links of a list open beside it, and the list keeps its place.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-swap]");
    if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      history.pushState(null, "", link.href);
      show(link.href).then(() => {
        // On a narrow screen it lies below the list.
        const at = link.hash && $(link.hash)?.getBoundingClientRect().top;
        if (at < 0 || at > innerHeight / 2) $(link.hash).scrollIntoView();
      });
    } else if (event.target.closest("[data-keys]")) $("#keys").showModal();
    for (const menu of $$("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  addEventListener("popstate", () => location.reload());

  // Forms that only ask send themselves while somebody types.
  const later = (work, wait) => { let timer; return (...of) => { clearTimeout(timer); timer = setTimeout(work, wait, ...of); }; };
  const ask = later((form) => {
    const fields = [...new FormData(form)].filter(([name, value]) => value !== "" || name === "place" || name === "agent");
    const url = `${form.action}?${new URLSearchParams(fields)}`;
    history.replaceState(null, "", url);
    show(url);
  }, 140);
  for (const form of $$("form[data-auto]")) {
    form.addEventListener("input", () => ask(form));
    form.addEventListener("submit", (event) => { event.preventDefault(); ask(form); });
  }

  // What is written is previewed, and not left behind by mistake.
  const preview = later(async (area) => {
    const answer = await fetch(area.dataset.preview, { method: "POST", body: new URLSearchParams({ text: area.value }) }).catch(() => null);
    if (!answer?.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    $(`[data-preview-of="${area.id}"]`).replaceChildren(...next.body.childNodes);
  }, 180);
  let sent = false;
  for (const area of $$("textarea[data-preview]")) area.addEventListener("input", () => preview(area));
  document.addEventListener("submit", () => { sent = true; });
  addEventListener("beforeunload", (event) => { if (!sent && $("form.write") && typed(document)) event.preventDefault(); });

  document.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-copy]")) return;
    await navigator.clipboard.writeText($("#block")?.textContent ?? "");
    event.target.textContent = "Copied";
    setTimeout(() => { event.target.textContent = "Copy block"; }, 1500);
  });

  // Keys.
  let here = -1;
  const rows = () => $$("[data-list] a[data-swap], [data-list] tr a");
  function lists() { here = rows().findIndex((of) => of.getAttribute("aria-current")); }
  const press = (key) => { const of = $(`[data-key-${key}]`); of?.click(); return of; };
  const keys = {
    j: () => move(1), k: () => move(-1), e: () => press("e"), p: () => press("p"), u: () => press("u"),
    "/": () => { const field = $("[data-search]"); if (field) { field.focus(); field.select(); } else location.href = `${store}notes#search`; return true; },
    "?": () => { $("#keys").showModal(); return true; },
  };
  function move(by) {
    const all = rows();
    here = Math.max(0, Math.min(all.length - 1, here + by));
    const of = all[here];
    if (!of) return false;
    of.focus();
    if (of.dataset.swap !== undefined) of.click();
    return true;
  }
  document.addEventListener("keydown", (event) => {
    const area = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && area.form) return area.form.requestSubmit();
    if (event.key === "Escape" && isTyping(area)) return area.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(area) || $("dialog[open]")) return;
    if (keys[event.key]?.()) event.preventDefault();
  });

  // Changes by anyone: a message of the feed makes the page ask for its fragments, at most once at a time.
  const sign = $("[data-live-state]");
  const state = (of, text) => { if (sign && sign.dataset.liveState !== of) { sign.dataset.liveState = of; sign.textContent = text; } };
  let busy = false, again = false;
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    const url = new URL($("[data-again]")?.dataset.again ?? location.href, location.href);
    url.searchParams.set("live", "1");
    url.searchParams.delete("done");
    if (!await show(url, true)) again = true;
    await new Promise((done) => setTimeout(done, 250));
    busy = false;
    if (again) { again = false; refresh(); }
  }
  if (store && sign) {
    let wasLost = false;
    (function listen() {
      const feed = new EventSource(`${store}api/v1/changes`);
      feed.addEventListener("open", () => { state("on", "live"); if (wasLost) refresh(); wasLost = false; });
      feed.addEventListener("error", () => {
        wasLost = true;
        state("lost", "connecting again");
        // A browser connects again by itself, but not after an answer that is no stream.
        if (feed.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
      });
      for (const kind of ["note", "event", "forgotten", "reset"]) feed.addEventListener(kind, refresh);
    })();
  }
  lists();

  // The key `/` of another view leads here.
  if (location.hash === "#search") { $("[data-search]")?.focus(); history.replaceState(null, "", location.pathname + location.search); }

  // Somebody who edits a note adds to it, more often than not.
  const area = $("textarea[autofocus]");
  area?.setSelectionRange(area.value.length, area.value.length);

  // A new note has a key, or a type in a session.
  $("[data-scope]")?.addEventListener("input", (event) => {
    const of = event.target.value.trim().startsWith("session:") ? "session" : "notes";
    for (const field of $$("[data-of]")) field.classList.toggle("off", field.dataset.of !== of);
  });
})();
