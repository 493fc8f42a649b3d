import { plural } from '../../ui/plural.ts'

/** What the page of API keys says. */
export const texts = {
  title: 'API keys',
  one: 'API key',
  about: 'One for each application, so you can revoke them individually.',
  columns: {
    name: 'Name',
    token: 'Token',
    permission: 'Permission',
    lastUsed: 'Last used',
    expires: 'Expires',
    created: 'Created',
    createdBy: 'Created by',
    id: 'ID',
  },
  unnamed: '(no name)',
  neverUsed: 'Never',
  neverExpires: 'Never',
  expired: 'expired',
  createdBy: '{time} by {user}',
  permissions: {
    full: 'Full access',
    sending: 'Sending access',
    sendingFrom: (domain: string) => `Sending from ${domain}`,
    sendingFromUnknownDomain: 'Sending from one domain',
  },
  create: 'Create API key',
  fields: {
    name: { label: 'Name', placeholder: 'my-app' },
    permission: { label: 'Permission', hint: 'Keys with sending access can only send emails.' },
    domain: { label: 'Domain', hint: 'Restricts a key with sending access to one domain.' },
    expires: { label: 'Expires', hint: 'A date, or “in 90 days”. Leave empty for no expiration.' },
    policy: {
      label: 'Restrict with a policy',
      hint: 'Who it may write to, from which sender and how often, and whether a person approves. It changes nothing else.',
    },
  },
  createdDialog: {
    title: 'API key created',
    note: 'Copy it now. It is not shown again.',
    copied: 'key',
  },
  deleteNote: 'Applications that use it lose access within a second, and sessions that signed in with it end.',
  usage: {
    title: 'Usage',
    chart: 'Requests by day (UTC)',
    requests: 'Requests',
    total: plural({ one: '# request in the last 30 days.', other: '# requests in the last 30 days.' }),
  },
}
