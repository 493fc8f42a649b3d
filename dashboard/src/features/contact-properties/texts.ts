/** What the page of contact properties says. */
export const texts = {
  title: 'Properties',
  one: 'property',
  about: 'Custom fields of contacts. Use them in broadcasts: {{{plan|free}}}.',
  columns: { key: 'Key', type: 'Type', fallback: 'Fallback', created: 'Created' },
  noFallback: 'None',
  fields: {
    key: { label: 'Key', hint: 'Letters, digits and underscores. It cannot be changed later.' },
    type: { label: 'Type' },
    fallback: { label: 'Fallback', hint: 'Used in broadcasts for contacts without a value.' },
  },
  deleteNote: 'Its value is deleted from all contacts.',
}
