/** What is to be read on the pages of team. Words in braces stand for elements: see `rich`. */
export const texts = {
  invitation: {
    title: 'Invitation',
    sentence: '{inviter} invites you to {team} as {role}.',
    unknownInviter: 'A member',
    otherAccount: (invited: string, signedIn: string) =>
      `The invitation is for ${invited}, and you are signed in as ${signedIn}. Sign in as ${invited} to join, or ask to be invited as ${signedIn}.`,
    join: 'Join team',
    notNow: 'Not now',
    signOut: 'Sign out',
  },
  newTeam: {
    title: 'New team',
    note: 'A team has its own emails, contacts, domains and API keys. You become its owner.',
    name: 'Name',
    create: 'Create team',
  },
  banner: {
    suspended:
      'This team is suspended: its API keys are disabled, its emails stay queued, and your access is read-only.',
    suspendedFor: (reason: string) =>
      `This team is suspended: its API keys are disabled, its emails stay queued, and your access is read-only. Reason: ${reason}`,
    deletion:
      'This team will be deleted with everything in it {when}. Its API keys are disabled and its emails stay queued.',
    restore: 'Restore team',
    restored: 'Team restored',
  },
  settings: {
    title: 'Team',
    name: 'Name',
    hideContent: {
      label: 'Hide message content from viewers',
      hint: 'Viewers still see sender, recipients, time and status.',
    },
    content: { label: 'Message content', hidden: 'Hidden from viewers', visible: 'Visible to viewers' },
    created: 'Created',
    save: 'Save',
    saved: 'Saved',
    delete: 'Delete team',
  },
  guard: {
    title: 'Automatic pause of broadcasts',
    fields: {
      enabled: { label: 'Pause broadcasts automatically', hint: 'When too many emails bounce or recipients complain.' },
      minEmails: { label: 'After this many emails' },
      maxBounceRate: { label: 'Permanent bounces above (%)' },
      maxComplaintRate: { label: 'Complaints above (%)', hint: 'Gmail and Yahoo ask for less than 0.3%.' },
    },
    save: 'Save automatic pause',
    saved: 'Automatic pause saved',
  },
  retention: {
    title: 'Retention',
    note: 'How long data of this team is kept, in days: 30d. Older data is deleted and cannot be restored. Leave a field empty to keep it as long as the installation does.',
    kinds: {
      emails: 'Sent emails',
      bodies: 'Content of sent emails',
      received: 'Received emails',
      attachments: 'Attachments',
      events: 'Events and webhook logs',
      logs: 'API logs',
      runs: 'Automation runs',
      trash: 'Trash of inboxes',
      audit: 'Audit log',
    },
    hint: (max: string) => (max === 'forever' ? 'No limit set by the installation.' : `At most ${max}.`),
    save: 'Save retention',
  },
  brand: {
    title: 'Brand',
    note: 'Shown to your recipients on unsubscribe pages and shared emails, with the name of the team.',
    logo: {
      label: 'Logo',
      hint: (kilobytes: string, pixels: string) =>
        `PNG, JPEG, GIF or WebP, up to ${kilobytes} KB and ${pixels} × ${pixels} pixels.`,
      alt: 'Current logo',
      tooLarge: (kilobytes: string) => `The file is larger than ${kilobytes} KB.`,
      notImage: 'The file is not a PNG, JPEG, GIF or WebP image.',
      saved: 'Logo saved',
      remove: 'Remove logo',
      removed: 'Logo removed',
    },
    color: {
      label: 'Accent color',
      hint: 'For buttons and the top of the page. Leave it empty for the default color.',
      placeholder: 'Default',
      pick: 'Pick the accent color',
      save: 'Apply color',
      format: 'A color such as #27695a',
      saved: 'Color saved',
    },
  },
  deleteDialog: {
    title: (name: string) => `Delete “${name}”?`,
    note: 'Its API keys stop working immediately, its emails stay queued, and members keep read-only access. After seven days all its data is deleted: emails, contacts, domains, API keys. Until then an owner can restore it.',
    confirm: 'Delete team',
  },
}
