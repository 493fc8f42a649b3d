/** What people are in a team, from the one who may do most to the one who may do least. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const

export type Role = (typeof ROLES)[number]
