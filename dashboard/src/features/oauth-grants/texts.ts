/** Texts of the lists of connected apps: those of a person, and those of a team. */
export const texts = {
  own: {
    list: 'your connected apps',
    empty: 'No connected apps',
    emptyNote: 'Apps that request access to your account, such as a CLI or an assistant, appear here.',
  },
  team: {
    list: 'connected apps of the team',
    empty: 'No connected apps yet',
  },
  columns: {
    app: 'App',
    team: 'Team',
    user: 'User',
    permission: 'Permission',
    policy: 'Policy',
    status: 'Status',
    connected: 'Connected',
    actions: 'Actions',
  },
  deletedUser: 'Deleted user',
  permissions: {
    fullAccess: 'Full access',
    sendingAccess: 'Sending access',
  },
  disconnect: {
    button: 'Disconnect',
    buttonLabel: (client: string) => `Disconnect ${client}`,
    title: (client: string) => `Disconnect “${client}”?`,
    confirm: 'Disconnect app',
  },
  actionsFor: (name: string) => `Actions for ${name}`,
  details: { open: 'Policy and activity', title: 'Policy and activity' },
  revoke: {
    button: 'Revoke',
    title: (name: string) => `Revoke the access of “${name}”?`,
    confirm: 'Revoke access',
  },
  losesAccess: 'The app loses access within a second and has to request it again.',
  toasts: { revoked: 'Access revoked' },
}
