// What the audit log is made of, also in the browser.

/** Who acts, as the audit log names them. */
export const ACTOR_KINDS = ['user', 'api_key', 'oauth_token', 'smtp', 'automation', 'system'] as const

/** What is done without an endpoint of its own, in words. An endpoint has its summary. */
export const OTHER_ACTIONS = {
  'account.link': 'Create a sign-in link on the command line',
  'account.sign_in': 'Sign in',
  'account.sign_out': 'Sign out',
  'account.verify': 'Confirm identity',
  'approvals.expire': 'Cancel emails that nobody has approved in time',
  'broadcasts.pause': 'Pause a broadcast with too many bounces or complaints',
  'broadcasts.start': 'Start sending a broadcast',
  'domains.checked': 'Domain status changed',
  'domains.claimed': 'Take over a domain from another team',
  'domains.key-replaced': 'Replace the DKIM keys of a domain',
  'domains.lost': 'Lose a domain to its verified owner',
  'invitations.accept': 'Accept an invitation',
  'jobs.retry': 'Retry failed jobs',
  'members.join': 'Join through a sign-in provider',
  'oauth.approve': 'Authorize an app',
  'personal-data.erase': 'Erase the data of a person',
  'personal-data.export': 'Export the data of a person',
  'queue.bounce': 'Give up on queued emails',
  'queue.cancel': 'Cancel queued emails',
  'queue.hold': 'Hold queued emails',
  'queue.lift': 'Lift a pause of refused emails',
  'queue.move': 'Send queued emails by another route',
  'queue.release': 'Release held emails',
  'queue.retry': 'Retry deferred emails',
  'routes.hold': 'Take a route out of use',
  'routes.release': 'Put a route into use',
  'sources.finish': 'End the warm-up of a source or domain',
  'sources.restart': 'Restart the warm-up of a source or domain',
  'team.import': 'Import an account or a list on the command line',
  'webhooks.disabled': 'Disable a failing webhook',
} as const
