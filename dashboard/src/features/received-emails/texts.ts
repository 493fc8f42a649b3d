/** What is to be read on the pages of received-emails. */
export const texts = {
  downloadEml: 'Download .eml',
  authentication: 'Authentication',
  noSubject: '(no subject)',
  searchReceivedEmails: 'Search received emails',
  received: 'Received',
  receivedEmails: 'received emails',
  from: 'From',
  subject: 'Subject',
  to: 'To',
  checks: 'Checks',
  files: 'Files',
  noReceivedEmailsYet: 'No received emails yet',
  notCheckedYet: 'Not checked yet.',
}
