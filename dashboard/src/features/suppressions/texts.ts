/** What is to be read on the pages of suppressions. */
export const texts = {
  viewEmail: 'View email',
  suppressions: 'Suppressions',
  addressesReceiveNoEmail: 'Addresses that receive no email: hard bounces, spam complaints, and those you added.',
  email: 'Email',
  origin: 'Origin',
  source: 'Source',
  created: 'Created',
  addSuppression: 'Add suppression',
  addressCanReceiveEmail: 'The address can receive email again.',
}
