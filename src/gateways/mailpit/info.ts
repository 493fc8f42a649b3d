import { labels, newest } from '../../features/messages/index.ts'
import { isSandbox } from '../../platform/ids.ts'
import { keepsMail } from '../../platform/settings/config.ts'
import { mailpitRoute } from './definitions.ts'

/** What this is, as Mailpit says it. What it counts and we do not is 0. */
export const infoRoutes = (version: string) => [
  mailpitRoute({
    id: 'info',
    route: 'GET /api/v1/info',
    access: 'content',
    async run({ services: { db }, actor: { team } }) {
      const [{ total, unread }, tags] = await Promise.all([newest.countNewest(db, team), labels.findLabels(db, team)])
      return {
        ...{ Version: version, LatestVersion: version, Database: 'PostgreSQL', DatabaseSize: 0 },
        ...{ Messages: total, Unread: unread },
        Tags: Object.fromEntries(tags.map(({ label, count }) => [label, count])),
        RuntimeStats: {
          ...{ Uptime: Math.floor(process.uptime()), Memory: process.memoryUsage.rss(), MessagesDeleted: 0 },
          ...{ SMTPAccepted: 0, SMTPAcceptedSize: 0, SMTPRejected: 0, SMTPIgnored: 0 },
        },
      }
    },
  }),
  mailpitRoute({
    id: 'webui',
    route: 'GET /api/v1/webui',
    access: 'content',
    async run({ services: { config, release, spamFilter }, actor: { team } }) {
      const relay = release && !isSandbox(team) ? config.RELAY_URL : undefined
      return {
        Label: '',
        MessageRelay: {
          ...{ Enabled: relay !== undefined, SMTPServer: relay ? new URL(relay).host : '', ReturnPath: '' },
          ...{ AllowedRecipients: '', BlockedRecipients: '', RecipientAllowlist: '', OverrideFrom: '' },
          PreserveMessageIDs: true,
        },
        SpamAssassin: spamFilter !== null,
        ChaosEnabled: keepsMail(config, team),
        DuplicatesIgnored: false,
        HideDeleteAllButton: !keepsMail(config, team),
      }
    },
  }),
]
