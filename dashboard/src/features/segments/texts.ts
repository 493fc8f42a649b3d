/** Texts of the pages of segments. */
export const texts = {
  page: {
    title: 'Segments',
    one: 'segment',
    about: 'Groups of contacts to send broadcasts to.',
    removeNote: 'Its contacts are kept.',
  },
  fields: { name: 'Name' },
  columns: {
    contacts: 'Contacts',
    created: 'Created',
  },
  contacts: {
    list: 'contacts',
    email: 'Email',
    name: 'Name',
    status: 'Status',
    actions: 'Actions',
    actionsOf: (email: string) => `Actions for ${email}`,
    remove: 'Remove from segment',
    removed: 'Removed from segment',
    empty: 'No contacts yet',
    emptyNote: 'Add contacts to this segment on their own page, or import them into it.',
  },
  /** Of a large segment the contacts are counted up to a limit. */
  atLeast: (count: string) => `${count}+`,
  copiedId: 'ID',
}
