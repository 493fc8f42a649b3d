import { OwnGrants } from '../features/oauth-grants/own-grants.tsx'
import { TeamGrants } from '../features/oauth-grants/team-grants.tsx'
import { Card, Page } from '../ui/page.tsx'
import { useMay } from './may.ts'
import { useSession } from './session.ts'

export function ConnectedAppsPage() {
  const { data: session } = useSession()
  const may = useMay()
  return (
    <Page title="Connected apps" note="Programs that people let act for them, after signing in.">
      {session?.user && (
        <Card title="Yours, in all of your teams">
          <OwnGrants />
        </Card>
      )}
      {may('oauth.grants.list') && (
        <Card title="Of this team">
          <TeamGrants />
        </Card>
      )}
    </Page>
  )
}
