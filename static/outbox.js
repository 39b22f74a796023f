// The outbox: every entry is kept on this phone until the server has answered for it.
// Without signal it waits, survives a reload, and is sent again with the same key, in order.
"use strict";

(() => {
  const box = document.getElementById("outbox");
  if (!box) return;
  const words = box.dataset;
  const PLACE = `kingscore.outbox.${words.game}`;
  const PATIENCE = 10000;
  const EVERY = 4000;
  const DELAYS = [2000, 4000, 8000, 16000, 30000, 60000];

  let busy = false;
  let tries = 0;
  let timer;
  let sending = null; // the key of the entry on its way, and how to stop it
  let heard = null; // the version of the sheet that this phone last heard
  let editing = null; // the key of the refused entry that stands in the form
  let memory = []; // where the browser keeps nothing, the entries live as long as the page

  const table = () => document.getElementById("table");
  const entryForm = () => document.querySelector("#table form.entry");
  const waits = (item) => !item.refused;

  function load() {
    try {
      return JSON.parse(localStorage.getItem(PLACE)) || [];
    } catch {
      return memory;
    }
  }

  function save(items) {
    memory = items;
    try {
      if (items.length) localStorage.setItem(PLACE, JSON.stringify(items));
      else localStorage.removeItem(PLACE);
    } catch { /* the entries stay in memory */ }
    show(items);
  }

  const change = (key, fields) => save(load().map((item) => (item.key === key ? { ...item, ...fields } : item)));

  function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(18));
    return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_");
  }

  // The token in the cookie is newer than the one in a page that was kept without signal.
  function token() {
    const cookie = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    return cookie ? cookie[1] : document.querySelector("[name=csrfmiddlewaretoken]").value;
  }

  // Sending.

  async function post(item) {
    const body = new URLSearchParams(item.fields);
    body.set("key", item.key);
    body.set("revision", item.revision);
    const stop = new AbortController();
    sending = { key: item.key, stop };
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const response = await fetch(item.url, {
        method: "POST", body, signal: stop.signal, redirect: "error",
        headers: { "HX-Request": "true", "X-CSRFToken": token() },
      });
      const revision = response.headers.get("Kingscore-Revision");
      const html = await response.text();
      const { status } = response;
      // A portal of the café answers too, but not like this server.
      if (revision === null && (status < 400 || status >= 500 || status === 408 || status === 429)) return { status: 0 };
      return { status, revision, html, etag: response.headers.get("ETag") };
    } catch {
      return { status: 0 };
    } finally {
      clearTimeout(patience);
    }
  }

  async function flush(atOnce) {
    if (busy) return;
    clearTimeout(timer);
    busy = true;
    let last = null;
    try {
      for (let item = load()[0]; item && waits(item); item = load()[0]) {
        const answer = await post(item);
        const kept = load().some((other) => other.key === item.key);
        if (answer.status === 0) {
          if (!kept) continue; // taken back while it was being sent
          defer(item);
          return;
        }
        tries = 0;
        const shown = atOnce === item.key && !item.waited;
        const seen = answer.status === 200 ? Number(item.revision) + 1 : shown ? null : sameAt(answer);
        if (seen === null) {
          if (!kept) continue;
          last = null;
          await refuse(item, answer, shown);
          return;
        }
        const rest = load().filter((other) => other.key !== item.key);
        // The next was written after this one; what came later it has not seen.
        if (rest.length) rest[0].revision = seen;
        save(rest);
        last = answer;
      }
    } finally {
      busy = false;
      if (last && !load().some(waits)) settle(last, atOnce);
      setBusy(false);
    }
  }

  // No answer: it waits visibly, and the page goes on by itself.
  function defer(item) {
    change(item.key, { waited: true });
    setBusy(false);
    timer = setTimeout(flush, DELAYS[Math.min(tries++, DELAYS.length - 1)]);
    // Asked again in vain, it leaves alone what is being typed since.
    if (!item.waited) advance();
  }

  const pageOf = (answer) => new DOMParser().parseFromString(answer.html || "", "text/html");

  // Where another phone has written just the same, it is not written once more.
  function sameAt(answer) {
    const same = answer.status === 409 && pageOf(answer).querySelector("[data-same]");
    return same ? Number(same.dataset.same) : null;
  }

  async function refuse(item, answer, shown) {
    const page = pageOf(answer);
    const table = page.getElementById("table");
    if (shown && table) {
      // It has just been typed: the form comes back with it and with what is wrong.
      if (editing) save(load().filter((other) => other.key !== item.key));
      else save(load().slice(1));
      swap(answer.html);
      focusProblem();
      return;
    }
    const said = [...page.querySelectorAll(".errors li, .problem p")].map((line) => line.textContent.trim());
    const reason = said.join(" ") || (table ? "" : answer.status === 410 ? page.body.textContent.trim() : words.gone);
    change(item.key, { refused: reason || words.gone, html: table ? answer.html : "", waited: true });
    setBusy(false);
    // What was summed up on this phone is not so: the sheet as it stands. Not waited for: whoever
    // discards this meanwhile wants the next one sent.
    if (table) refreshTable();
  }

  function settle(answer, atOnce) {
    editing = null;
    if (atOnce) swap(answer.html);
    else swapKeeping(answer.html);
    heard = answer.etag;
    const heading = document.querySelector("#table h2");
    if (atOnce) heading?.focus({ preventScroll: true });
    document.getElementById("announce").textContent = `${words.saved} ${heading?.textContent.trim() ?? ""}`;
    rememberPage();
  }

  function swap(html) {
    table().outerHTML = html.trim();
    window.htmx?.process(table());
    Kingscore.arrive();
    show(load());
  }

  // Another sheet under what is being typed, what is unfolded, and the keyboard.
  function swapKeeping(html) {
    const form = entryForm();
    const typed = form ? Kingscore.typed(form) : [];
    const at = table().contains(document.activeElement) ? document.activeElement : null;
    const open = [...table().querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
    swap(html);
    for (const summary of table().querySelectorAll("details > summary")) {
      if (open.includes(summary.textContent)) summary.parentElement.open = true;
    }
    if (typed.length && entryForm()) Kingscore.restore(entryForm(), typed);
    const same = (one) => ["name", "value", "href", "class"].every((name) => one.getAttribute(name) === at.getAttribute(name));
    if (at) [...table().querySelectorAll(at.localName)].find(same)?.focus({ preventScroll: true });
  }

  function focusProblem() {
    const field = document.querySelector("#table .problem, #table [aria-invalid=true]");
    field?.focus({ preventScroll: true });
    document.querySelector("#table .errors, #table .problem")?.scrollIntoView({ block: "nearest" });
  }

  function setBusy(on) {
    for (const form of document.querySelectorAll("form[data-outbox]")) form.setAttribute("aria-busy", String(on));
  }

  // Writing.

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-outbox]");
    if (!form) return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    const fields = [...new FormData(form, event.submitter)]
      .filter(([name, value]) => !/^(csrfmiddlewaretoken|key|revision)$/.test(name) && value !== "");
    const item = {
      key: newKey(), url: form.action, fields, revision: form.elements.revision.value,
      label: labelOf(form, event.submitter), effect: effectOf(form, event.submitter),
    };
    const items = load();
    const index = editing ? items.findIndex((other) => other.key === editing) : -1;
    const behind = items.some(waits) && index < 0;
    if (index >= 0) items.splice(index, 1, item);
    else items.push(item);
    save(items);
    if (behind || (items[0] !== item)) {
      change(item.key, { waited: true });
      advance();
      flush();
    } else {
      setBusy(true);
      flush(item.key);
    }
  });

  // A hand in which no contract is named: who, and how many tricks.
  function handOf(form, submitter) {
    if (submitter.value !== "deal") return "";
    const ticked = [...form.querySelectorAll(".hand :checked")].filter((input) => input.value !== "");
    const words = ticked.map((input) => input.closest("label").querySelector(".who, span:last-child").textContent);
    return words.map((text) => text.replace(/\s+/g, " ").trim()).join(", ");
  }

  function labelOf(form, submitter) {
    const contract = Kingscore.contractOf(form);
    if (!contract) return handOf(form, submitter) || submitter.textContent.trim();
    const name = contract.closest(".pick").querySelector(".name").textContent.trim();
    const units = Kingscore.unitsOf(form);
    const took = units.flatMap((unit) => {
      const inputs = Kingscore.inputsOf(unit).filter((input) => Number(input.value) > 0);
      return inputs.map((input) => {
        const who = input.closest(".tile").querySelector(".who").textContent.trim();
        return Number(unit.dataset.total) === 1 ? who : `${who} ${input.value}`;
      });
    });
    return [name, took.join(", ")].filter(Boolean).join(", ");
  }

  function effectOf(form, submitter) {
    const effect = { type: submitter.value };
    const fields = new FormData(form, submitter);
    if (effect.type === "adjustment") {
      return { ...effect, seat: Number(fields.get("seat")), points: Number(fields.get("points").replace("\u2212", "-")), to: fields.get("to") };
    }
    const contract = Kingscore.contractOf(form);
    if (effect.type !== "deal" || !contract) return effect;
    const counts = Kingscore.unitsOf(form).map((unit) => [
      unit.dataset.unit,
      Kingscore.inputsOf(unit).map((input) => [Counts.sideOf(input), Number(input.value)]),
    ]);
    return { ...effect, contract: contract.value, counts, king: Boolean(fields.get("king")), declared: Boolean(fields.get("king_declared_by")) };
  }

  function advance() {
    const form = entryForm();
    if (!form || editing) return;
    paintAll(form);
    Kingscore.clear(form);
    form.querySelector("h2")?.focus({ preventScroll: true });
  }

  // What stands behind a refused entry was written for a sheet that is not so.
  function paintAll(form) {
    const items = load();
    const refused = items.findIndex((item) => item.refused);
    const state = Ahead.stateAfter(items.slice(0, refused < 0 ? items.length : refused).filter((item) => item.waited));
    if (!state) return;
    Ahead.paint(form, state);
    box.querySelector(".over")?.remove();
    if (state.over) note(words.over);
  }

  // What waits and what was refused, above the sheet.

  function show(items) {
    const shown = items.filter((item) => item.waited || item.refused);
    const list = box.querySelector("ul");
    list.replaceChildren(...shown.map((item) => lineOf(item, item === items[items.length - 1])));
    box.hidden = shown.length === 0;
    if (!items.length) box.querySelector(".over")?.remove();
    document.body.classList.toggle("waiting", items.length > 0);
  }

  function lineOf(item, isLast) {
    const line = document.createElement("li");
    const state = document.createElement("span");
    state.className = "state";
    state.textContent = item.refused ? words.refused : words.waiting;
    const label = document.createElement("span");
    label.textContent = item.label;
    line.append(state, label);
    if (!item.refused) {
      // Only the last can be taken back: what follows was written after it.
      if (isLast && item.effect.type === "deal" && entryForm()) line.append(button(words.edit, () => takeBack(item, true)));
      if (isLast) line.append(button(words.discard, () => takeBack(item, false)));
      return line;
    }
    line.className = "refused";
    const why = document.createElement("span");
    why.className = "why";
    why.textContent = item.refused;
    line.append(why);
    if (item.html) line.append(button(words.edit, () => edit(item)));
    line.append(button(words.discard, () => discard(item)));
    return line;
  }

  function button(text, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  }

  // The refused entry comes into the form as the server sent it back, with what is wrong.
  function edit(item) {
    editing = item.key;
    swap(item.html);
    focusProblem();
  }

  function takeBack(item, again) {
    save(load().filter((other) => other.key !== item.key));
    if (sending?.key === item.key) sending.stop.abort();
    const form = entryForm();
    if (!form || editing) return;
    paintAll(form);
    if (!again) return;
    Kingscore.clear(form);
    Kingscore.restore(form, item.fields);
    form.scrollIntoView({ block: "nearest" });
  }

  function discard(item) {
    const items = load();
    const index = items.findIndex((other) => other.key === item.key);
    // What was written after it was written on the same page.
    if (items[index + 1] && index === 0) items[index + 1].revision = item.revision;
    items.splice(index, 1);
    if (editing === item.key) leave();
    save(items);
    if (items.some(waits)) flush();
    else refreshTable();
  }

  function leave() {
    editing = null;
    if (entryForm()) Kingscore.clear(entryForm());
  }

  // Hearing what others write.

  async function ask(headers) {
    const response = await fetch(location.href, { headers: { "HX-Request": "true", ...headers } });
    const isSheet = response.ok && response.headers.has("Kingscore-Revision");
    // The pen was handed over: where this leads, the sheet can be followed.
    if (response.redirected && isIdle()) location.assign(response.url);
    if (isSheet) heard = response.headers.get("ETag");
    return isSheet ? { html: await response.text(), revision: Number(response.headers.get("Kingscore-Revision")) } : null;
  }

  async function refreshTable() {
    try {
      const sheet = await ask();
      if (sheet && !editing && sheet.revision >= Number(table().dataset.revision)) swapKeeping(sheet.html);
    } catch { /* without signal the page stays as it is */ }
  }

  const isChanged = (field) => (field.options
    ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
    : field.checked !== field.defaultChecked || (/^(text|number|textarea)$/.test(field.type) && field.value !== field.defaultValue));

  // Nothing is typed here, sent or waiting, so that a newer sheet disturbs nobody.
  function isIdle() {
    const form = entryForm();
    if (document.hidden || busy || editing || load().length || (form && Kingscore.typed(form).length)) return false;
    return ![...table().querySelectorAll("form:not(.entry)")].some((other) => [...other.elements].some(isChanged));
  }

  async function listen() {
    if (!isIdle()) return;
    try {
      const sheet = await ask(heard && { "If-None-Match": heard });
      if (sheet && isIdle() && sheet.revision > Number(table().dataset.revision)) {
        swapKeeping(sheet.html);
        rememberPage();
      }
    } catch { /* heard of later */ }
  }

  setInterval(listen, EVERY);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    if (load().some(waits)) flush();
    else listen();
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-leave]")) return;
    event.preventDefault();
    const item = load().find((other) => other.key === editing);
    if (item) {
      discard(item);
      return;
    }
    leave();
    refreshTable();
  });
  window.addEventListener("online", () => {
    tries = 0;
    flush();
  });
  document.addEventListener("htmx:afterSwap", () => show(load()));

  // Undo is not kept for later: by then it might take back something else.
  document.addEventListener("htmx:sendError", () => {
    note(words.noSignal);
    box.hidden = false;
  });

  function note(text) {
    box.querySelector(".over")?.remove();
    const line = document.createElement("p");
    line.className = "over";
    line.textContent = text;
    box.append(line);
  }

  // The page itself, for a reload without signal; browsers allow it over HTTPS only.
  function rememberPage() {
    navigator.serviceWorker?.controller?.postMessage({ keep: [location.href] });
  }

  navigator.serviceWorker?.register(words.serviceWorker).then(() => navigator.serviceWorker.ready).then(({ active }) => {
    const files = performance.getEntriesByType("resource").map((entry) => entry.name).filter((url) => url.startsWith(location.origin));
    active.postMessage({ keep: [location.href, ...files.filter((url) => /\.(css|js|svg|webmanifest)$/.test(url))] });
  }).catch(() => {});

  show(load());
  if (load().some(waits)) {
    // What stood here when the page was left has been typed before: it waits like the rest.
    save(load().map((item) => ({ ...item, waited: true })));
    advance();
    flush();
  }
})();
