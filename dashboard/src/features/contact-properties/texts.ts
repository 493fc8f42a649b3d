/** What is to be read on the pages of contact-properties. */
export const texts = {
  none: 'none',
  fallback: 'Fallback',
  usedBroadcastsContactsWithout: 'Used in broadcasts for contacts without a value.',
  properties: 'Properties',
  customFieldsContactsUse: 'Custom fields of contacts, for use in broadcasts: {{{plan|free}}}.',
  key: 'Key',
  type: 'Type',
  created: 'Created',
  lettersDigitsUnderscoresCannot: 'Letters, digits and underscores. It cannot be changed later.',
  valueDeletedFromAll: 'Its value is deleted from all contacts.',
}
