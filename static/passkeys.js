// Passkeys are offered where the browser has them: over HTTPS, and on the machine itself.

if (window.PublicKeyCredential) {
  document.querySelectorAll("[data-passkeys]").forEach((part) => { part.hidden = false; });
} else {
  document.querySelectorAll("[data-no-passkeys]").forEach((part) => { part.hidden = false; });
}
document.addEventListener("allauth.error", (event) => {
  // Closing the browser's question is no error to anyone.
  event.preventDefault();
  const failed = document.getElementById("passkey-failed");
  failed.className = "notice-bad";
  failed.textContent = failed.dataset.failed;
  document.querySelector("#content .page").append(failed);
});
