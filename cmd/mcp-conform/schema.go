package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

func schemaCommand(w world) *cobra.Command {
	kinds := []string{"report", "config"}
	return &cobra.Command{
		Use:   "schema report|config",
		Short: "print the JSON Schema of report.json or mcp-conform.yaml",
		Long: `Print the JSON Schema of report.json, or that of mcp-conform.yaml. An editor
with the YAML language server checks a configuration that begins with

  # yaml-language-server: $schema=./mcp-conform.schema.json

where mcp-conform.schema.json is what this command printed.`,
		Example:               "mcp-conform schema config > mcp-conform.schema.json",
		DisableFlagsInUseLine: true,
		ValidArgs:             kinds,
		Args:                  oneOf("schema", kinds),
		RunE: func(_ *cobra.Command, args []string) error {
			text := reports.Schema()
			if args[0] == "config" {
				schema, err := config.Schema(known())
				if err != nil {
					return err
				}
				text = string(schema)
			}
			_, err := io.WriteString(w.out, text)
			return err
		},
	}
}
