/** Texts of the pages of received emails. */
export const texts = {
  page: {
    title: 'Received',
    search: 'Search received emails',
    many: 'received emails',
    empty: 'No received emails yet',
  },
  columns: {
    from: 'From',
    subject: 'Subject',
    to: 'To',
    checks: 'Checks',
    files: 'Attachments',
    received: 'Received',
  },
  noSubject: '(no subject)',
  noSender: '(no sender)',
  downloadSource: 'Download .eml',
  delete: 'Delete',
  deleteDialog: {
    title: 'Delete this email?',
    note: 'Its content and attachments are deleted permanently, also in inboxes.',
    confirm: 'Delete email',
    done: 'Email deleted',
  },
  authentication: {
    title: 'Authentication',
    notChecked: 'Not checked yet.',
    dmarcPolicy: (domain: string, policy: string) => `${domain}, policy ${policy}`,
  },
}
