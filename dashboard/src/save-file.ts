/** The browser keeps it under this name. */
export function saveFile(name: string, content: Blob) {
  const url = URL.createObjectURL(content)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // Not before the browser has begun to keep it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
