/** What the card about the data of a person says. */
export const texts = {
  title: 'Personal data',
  note: 'Finds an address in all data of this team: emails, contacts, inboxes, logs, files and search. Erasing leaves a digest on the suppression list, so that nobody writes to the person again.',
  address: 'Email address',
  action: { label: 'Action', hint: 'A report counts what is kept, an export has it as JSON.' },
  submit: 'Start',
  confirm: {
    title: (address: string) => `Erase ${address}?`,
    note: 'Emails only to this person are deleted. In all others the address is replaced. This cannot be undone.',
    act: 'Erase person',
  },
  running: (rows: string) => `Searching: ${rows} rows`,
  nothing: 'Nothing is kept about this address.',
  failed:
    'Mail that names the address is still being delivered, or the archive of old periods could not be searched. Erase it again later.',
  download: 'Download export',
  outcome: {
    found: (count: string) => `${count} found`,
    deleted: (count: string) => `${count} deleted`,
    redacted: (count: string) => `${count} redacted`,
    files: (count: string) => `${count} files deleted`,
    pending: (count: string) => `${count} files not searched`,
  },
}
