import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PolicyActivity } from '../../ui/policy/policy-activity.tsx'
import { PolicySection } from '../../ui/policy/policy-section.tsx'
import { texts as policyTexts } from '../../ui/policy/texts.ts'
import { texts } from './texts.ts'

/** What an app of the team may send, and what it did. Null: none is shown. */
export const GrantDetails = ({ id, onClose }: { id: string | null; onClose: () => void }) => (
  <Dialog title={texts.details.title} isWide isOpen={id !== null} onClose={onClose}>
    {id !== null && <Details id={id} />}
  </Dialog>
)

function Details({ id }: { id: string }) {
  const activity = useCall('oauth.grants.activity', { id })
  return (
    <div>
      {activity.data && (
        <PolicySection
          policy={activity.data.policy}
          needs="oauth.grants.update"
          note={policyTexts.readsAndSends}
          refresh={['oauth.grants']}
          save={(policy) => call('oauth.grants.update', { id, body: { policy } })}
        />
      )}
      <PolicyActivity activity={activity} />
    </div>
  )
}
