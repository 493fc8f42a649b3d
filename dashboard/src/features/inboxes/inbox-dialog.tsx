import { Link } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

/** How an inbox gets its mail, and what programs call it. */
export const InboxDialog = ({ inbox, onClose }: { inbox: string | null; onClose: () => void }) => (
  <Dialog title={texts.settings.title} isOpen={inbox !== null} onClose={onClose} isWide>
    {inbox !== null && <SetUp inbox={inbox} />}
  </Dialog>
)

function SetUp({ inbox: id }: { inbox: string }) {
  const inbox = useCall('inboxes.get', { inbox: id })
  if (inbox.isPending) return <Loading lines={4} />
  if (inbox.isError) return <Failed error={inbox.error} onRetry={() => inbox.refetch()} />
  const { email_address, receiving_address, domain_id, created_at } = inbox.data
  return (
    <>
      {receiving_address !== null && (
        <p>{rich(texts.settings.forwarding, { address: <strong>{email_address}</strong> })}</p>
      )}
      <Facts
        facts={[
          [texts.settings.address, <Copyable key="address" text={email_address} what={texts.copied.address} />],
          ...(receiving_address !== null
            ? ([
                [
                  texts.settings.forwardTo,
                  <Copyable key="to" text={receiving_address} what={texts.copied.forwardingAddress} />,
                ],
              ] as const)
            : []),
          [texts.settings.id, <Copyable key="id" text={id} what={texts.copied.id} />],
          [
            texts.settings.domain,
            <Link key="domain" to="/domains/$id" params={{ id: domain_id }}>
              {email_address.replace(/^.*@/, '')}
            </Link>,
          ],
          [texts.settings.created, <Time key="created" at={created_at} />],
        ]}
      />
    </>
  )
}
