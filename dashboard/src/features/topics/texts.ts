/** Texts of the page of topics. */
export const texts = {
  page: {
    title: 'Topics',
    one: 'topic',
    about: 'Subjects that contacts subscribe to and unsubscribe from: product news, offers, incidents.',
    removeNote: 'Emails and broadcasts with this topic are sent without a topic.',
  },
  fields: {
    name: 'Name',
    nameHint: 'Visible to subscribers.',
    description: 'Description',
    visibility: 'Visibility',
    visibilityHint: 'Public topics appear on every preference page.',
    default: 'Default',
    defaultHint: 'For contacts that have not chosen. It cannot be changed later.',
    created: 'Created',
  },
}
