package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

func schemaCommand(w world) *cobra.Command {
	kinds := []string{"report", "config", "fleet", "junit", "proposal-report", "proposal-cases"}
	return &cobra.Command{
		Use:   "schema " + strings.Join(kinds, "|"),
		Short: "print the schema of a file that is read or written",
		Long: `Print the JSON Schema of report.json, mcp-conform.yaml or fleet.json, the XML
Schema of junit.xml, or the JSON Schemas of --format proposal-json:
proposal-report is that of run, proposal-cases that of "list cases".

An editor with the YAML language server checks a configuration that begins with

  # yaml-language-server: $schema=./mcp-conform.schema.json

where mcp-conform.schema.json is what this command printed.`,
		Example:               "mcp-conform schema config > mcp-conform.schema.json",
		DisableFlagsInUseLine: true,
		ValidArgs:             kinds,
		Args:                  oneOf("schema", kinds),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(w.out, text)
			return err
		},
	}
}

func schemaOf(kind string) (string, error) {
	switch kind {
	case "config":
		schema, err := config.Schema(known())
		return string(schema), err
	case "fleet":
		return schemas.Fleet(), nil
	case "junit":
		return schemas.JUnit(), nil
	case "proposal-report":
		return schemas.Proposal(), nil
	case "proposal-cases":
		return schemas.ProposalCases(), nil
	default:
		return schemas.Report(), nil
	}
}
