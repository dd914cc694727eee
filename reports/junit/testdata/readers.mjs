// Counts the tests of JUnit files with readers that others published:
//   node readers.mjs NODE_MODULES FILE...
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, ...files] = process.argv.slice(2)
const require = createRequire(join(modules, 'index.js'))
const { parse: toJSON } = await import(pathToFileURL(require.resolve('junit2json')))
const { parse: toResult } = require('test-results-parser')

const read = {
  async junit2json(file) {
    const sum = { Tests: 0, Failed: 0, Skipped: 0 }
    const document = await toJSON(readFileSync(file, 'utf8'))
    for (const suite of document.testsuite ?? []) {
      for (const test of suite.testcase ?? []) {
        sum.Tests++
        if (test.failure || test.error) sum.Failed++
        else if (test.skipped) sum.Skipped++
      }
    }
    return sum
  },
  async 'test-results-parser'(file) {
    const sum = { Tests: 0, Failed: 0, Skipped: 0 }
    const result = toResult({ type: 'junit', files: [file] })
    for (const suite of result.suites) {
      for (const test of suite.cases) {
        if (test.attachments.length > 0) throw new Error(`${test.name} attaches ${test.attachments[0].path}`)
        sum.Tests++
        if (test.status === 'FAIL') sum.Failed++
        else if (test.status === 'SKIP') sum.Skipped++
      }
    }
    return sum
  },
}

const counts = {}
for (const [reader, count] of Object.entries(read)) {
  counts[reader] = {}
  for (const file of files) counts[reader][file] = await count(file)
}
process.stdout.write(JSON.stringify(counts))
