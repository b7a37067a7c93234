// Sends a form as JSON to the API and opens the next page if it was accepted. Error messages are shown as text.
for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const alert = form.querySelector("[role=alert]");
    const button = form.querySelector("button");
    alert.textContent = "";
    button.disabled = true;
    try {
      const answer = await fetch(form.dataset.post, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(Object.fromEntries(new FormData(form))),
      });
      if (answer.ok) {
        location.assign(form.dataset.next);
        return;
      }
      const { error } = await answer.json().catch(() => ({}));
      alert.textContent = typeof error === "string" ? error : "That did not work. Try again.";
    } catch {
      alert.textContent = "Tollgate is not responding. Try again.";
    }
    button.disabled = false;
  });
}
