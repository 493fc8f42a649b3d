/** The address of a mailbox that was taken for one, without the name: that may look like another address. */
export function bareAddress(mailbox: string): string {
  const text = mailbox.trim()
  return text.endsWith('>') ? text.slice(text.lastIndexOf('<') + 1, -1).trim() : text
}
