/** What is done without an endpoint of its own, and the words for it. An endpoint's id has its summary. */
export const OTHER_ACTIONS = {
  'account.sign_in': 'Signed in',
  'account.sign_out': 'Signed out',
  'account.verify': 'Proved who they are',
  'broadcasts.start': 'Began to send a broadcast',
  'domains.verified': 'Found a domain verified',
  'domains.failed': 'Found a domain not verified',
  'domains.lost': 'Lost a domain to another team that proved to own it',
  'invitations.accept': 'Joined by an invitation',
  'members.join': 'Joined by a sign-in provider',
  'oauth.approve': 'Let a program in',
  'teams.delete': 'Began to delete the team',
  'webhooks.disabled': 'Disabled a webhook that has failed for days',
} as const

export type OtherAction = keyof typeof OTHER_ACTIONS
