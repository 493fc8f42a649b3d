import { cpus } from 'node:os'

/** What figures are to be read with: "2 cores of Intel(R) Xeon(R) Processor @ 2.50GHz, Node 20.20.2". */
export function machine(): string {
  const cores = cpus()
  const model = cores[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown CPU'
  return `${cores.length} ${cores.length === 1 ? 'core' : 'cores'} of ${model}, Node ${process.versions.node}`
}
