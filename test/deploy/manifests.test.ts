import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { manifestsIn, type Manifest as Plain, render } from '../../scripts/render-chart.ts'
import { SETTINGS } from '../../src/platform/settings/config.ts'
import { hasTool } from '../harness/tools.ts'

// The manifests as Kubernetes would get them: each object is held against Kubernetes' own schema, and what they have in common with the program
// (settings, ports, version) against the program.

interface Manifest extends Plain {
  spec?: { template?: { metadata: { annotations?: object }; spec: PodSpec } }
}
interface PodSpec {
  enableServiceLinks?: boolean
  automountServiceAccountToken?: boolean
  securityContext: { runAsNonRoot?: boolean }
  containers: {
    image: string
    env?: { name: string; value: string }[]
    securityContext: { readOnlyRootFilesystem?: boolean; capabilities: { drop: string[] } }
    readinessProbe?: { httpGet: { path: string } }
    volumeMounts: { mountPath: string }[]
  }[]
}

const hasKubectl = hasTool('kubectl', ['version', '--client'], 'The manifests for Kubernetes are not tested')

const hasHelm = hasTool('helm', ['version'], 'The chart is not rendered by Helm itself')

function renderWithHelm(): string {
  const words = ['template', 'postwren', 'deploy/helm/postwren', '--namespace', 'postwren', '--kube-version', '1.32']
  const { stdout, stderr, status } = spawnSync('helm', words, { encoding: 'utf8' })
  expect(`${stderr}${status}`).toBe('0')
  return stdout
}

const objectsOf = (text: string) => manifestsIn(text) as Manifest[]

function kustomize(folder: string): Manifest[] {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  // It may call some words old: they are those that the oldest version knows.
  expect(status, stderr).toBe(0)
  return objectsOf(stdout)
}

/** Objects of operators, of which Kubernetes itself has no schema. */
const FOREIGN = new Set(['postgresql.cnpg.io/v1'])

const requireModels = createRequire(import.meta.url)

function faultsOf(manifest: Manifest): string[] {
  if (FOREIGN.has(manifest.apiVersion)) return []
  const models = requireModels(`kubernetes-models/${manifest.apiVersion}`) as Record<
    string,
    new (
      data: unknown,
    ) => Validated
  >
  const Model = models[manifest.kind]
  if (!Model) return [`${manifest.apiVersion} has no ${manifest.kind}`]
  try {
    // Kustomize breaks base64 into lines, which Kubernetes takes and the schema's format does not.
    const data = manifest.kind === 'Secret' ? JSON.parse(JSON.stringify(manifest).replaceAll('\\n', '')) : manifest
    new Model(data).validate()
    return []
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`]
  }
}
interface Validated {
  validate(): void
}

const podsOf = (manifests: Manifest[]) =>
  manifests.flatMap(({ spec }) => (spec?.template?.spec.containers ? [spec.template.spec] : []))

describe.skipIf(!hasKubectl)('the manifests for Kubernetes', () => {
  const base = hasKubectl ? kustomize('deploy/kubernetes/base') : []

  test.each(['deploy/kubernetes/base', 'deploy/kubernetes/examples/cloudnative-pg'])('%s is valid', (folder) => {
    const manifests = kustomize(folder)

    expect(manifests.length).toBeGreaterThan(10)
    expect(manifests.flatMap(faultsOf)).toEqual([])
  })

  test('a wrong object would be noticed', () => {
    const [deployment] = base.filter(({ kind }) => kind === 'Deployment')

    expect(faultsOf({ ...deployment!, spec: { replicas: 'two' } as object })).not.toEqual([])
  })

  test('each role is a deployment, and the schema is migrated by a job', () => {
    const roles = podsOf(base).flatMap(({ containers }) => containers[0]!.env ?? [])

    expect(roles.map(({ value }) => value).sort()).toEqual(['api', 'delivery', 'jobs', 'smtp'])
    expect(base.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name)).toEqual(['postwren-migrate'])
    expect(base.filter(({ kind }) => kind === 'PodDisruptionBudget')).toHaveLength(4)
  })

  test('no pod may do more than it must', () => {
    for (const pod of podsOf(base)) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      expect(pod.securityContext.runAsNonRoot).toBe(true)
      const [container] = pod.containers
      expect(container!.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container!.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
        expect.arrayContaining(['/data', '/tmp', '/run/secrets/postwren']),
      )
    }
  })

  test('settings are those of the program, and the image is of its version', () => {
    const names = Object.keys(base.find(({ kind }) => kind === 'ConfigMap')!.data!).filter((name) =>
      name.startsWith('POSTWREN_'),
    )
    const known = names.map((name) => name.slice('POSTWREN_'.length).replace(/_FILE$/, ''))

    expect(names.length).toBeGreaterThan(5)
    expect(known.filter((name) => !(name in SETTINGS))).toEqual([])
    for (const { containers } of podsOf(base))
      expect(containers[0]!.image).toBe(`postwren/postwren:${packageJson.version}`)
  })

  test('the chart renders the same objects with its default values', () => {
    const rendered = objectsOf(hasHelm ? renderWithHelm() : render())

    expect(byName(rendered)).toEqual(byName(base.filter(({ kind }) => kind !== 'Namespace')))
  })

  test('Helm and the tests render the chart alike', () => {
    if (hasHelm) expect(byName(objectsOf(render()))).toEqual(byName(objectsOf(renderWithHelm())))
  })
})

test('values change what the chart renders', () => {
  const roles = { api: { replicas: 5, smtp: false } }
  const rendered = objectsOf(render({ roles, networkPolicies: { enabled: false } }))

  expect(rendered.filter(({ kind }) => kind === 'Deployment')).toMatchObject([{ spec: { replicas: 5 } }])
  expect(rendered.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([])
})

test('the chart is of the version of the program', () => {
  const chart = readFileSync('deploy/helm/postwren/Chart.yaml', 'utf8')

  expect(chart).toContain(`\nversion: ${packageJson.version}\n`)
  expect(chart).toContain(`\nappVersion: ${packageJson.version}\n`)
})

/** Without the names that kustomize makes from a hash, and without what Helm alone has: hooks, and the hash of the settings. */
function byName(manifests: Manifest[]): Record<string, unknown> {
  const plain = JSON.parse(JSON.stringify(manifests).replace(/"postwren-[a-z0-9]{10}"/g, '"postwren"')) as Manifest[]
  return Object.fromEntries(
    plain
      .map((manifest): [string, unknown] => {
        delete manifest.metadata.annotations
        if (manifest.spec?.template?.metadata) delete manifest.spec.template.metadata.annotations
        return [`${manifest.kind} ${manifest.metadata.name}`, manifest]
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
