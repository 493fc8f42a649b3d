// What the audit log is made of, also in the browser.

/** Who acts, as the audit log names them. */
export const ACTOR_KINDS = ['user', 'api_key', 'oauth_token', 'smtp', 'automation', 'system'] as const

/** What is done without an endpoint of its own, in words. An endpoint has its summary. */
export const OTHER_ACTIONS = {
  'account.link': 'Make a sign-in link by command',
  'account.sign_in': 'Sign in',
  'account.sign_out': 'Sign out',
  'account.verify': 'Prove who one is',
  'broadcasts.start': 'Begin to send a broadcast',
  'domains.checked': 'Find the status of a domain changed',
  'domains.claimed': 'Get a domain that another team had',
  'domains.lost': 'Lose a domain to another team that proved to own it',
  'invitations.accept': 'Accept an invitation',
  'jobs.retry': 'Retry failed jobs',
  'members.join': 'Join by a sign-in provider',
  'oauth.approve': 'Let a program in',
  'queue.cancel': 'Cancel waiting mail',
  'webhooks.disabled': 'Disable a webhook that has failed for days',
} as const
