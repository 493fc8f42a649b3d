/** What is to be read on the pages of topics. */
export const texts = {
  name: 'Name',
  visibleSubscribers: 'Visible to subscribers.',
  description: 'Description',
  visibility: 'Visibility',
  publicTopicsAppearEvery: 'Public topics appear on every preference page.',
  topics: 'Topics',
  subjectsContactsSubscribeUnsubscribe:
    'Subjects that contacts subscribe to and unsubscribe from: product news, offers, incidents.',
  default: 'Default',
  created: 'Created',
  contactsWithoutChoiceCannot: 'For contacts without a choice. It cannot be changed later.',
  emailsBroadcastsWithTopic: 'Emails and broadcasts with this topic lose it.',
}
