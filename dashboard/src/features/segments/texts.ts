/** What is to be read on the pages of segments. */
export const texts = {
  addSegmentPageContact: 'Add this segment on the page of a contact, or import contacts into it.',
  removedFromSegment: 'Removed from segment',
  contacts: 'contacts',
  email: 'Email',
  name: 'Name',
  status: 'Status',
  actions: 'Actions',
  actionsOf: (email: string | number) => `Actions for ${email}`,
  removeFromSegment: 'Remove from segment',
  noContactsYet: 'No contacts yet',
  segments: 'Segments',
  groupsContactsSendBroadcasts: 'Groups of contacts to send broadcasts to.',
  contacts2: 'Contacts',
  created: 'Created',
  contactsKept: 'Its contacts are kept.',
}
