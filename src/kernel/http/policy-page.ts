/** Whose policy it is. */
export type PolicyHolder = 'api_key' | 'oauth_grant' | 'inbox_agent'

/** Where the dashboard shows a policy and changes it. */
const PAGES: Record<PolicyHolder, (id: string) => string> = {
  api_key: (id) => `/dashboard/api-keys/${id}`,
  oauth_grant: () => '/dashboard/connected-apps',
  inbox_agent: (id) => `/dashboard/inboxes/${id}/agent`,
}

export const policyPage = (publicUrl: string, holder: PolicyHolder, id: string): string =>
  `${publicUrl}${PAGES[holder](id)}`

/** Who can allow more, and where. It ends with the address, so that no dot is taken for a part of it. */
export const howToAllowMore = (page: string): string =>
  `Ask an owner or an admin of the team to change the policy: ${page}`
