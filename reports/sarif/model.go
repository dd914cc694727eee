package sarif

// The part of SARIF 2.1.0 that code scanning reads.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool         `json:"tool"`
	Automation  automation   `json:"automationDetails"`
	Invocations []invocation `json:"invocations"`
	ColumnKind  string       `json:"columnKind"`
	Results     []result     `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []rule `json:"rules"`
}

type rule struct {
	ID            string         `json:"id"`
	Short         message        `json:"shortDescription"`
	Full          message        `json:"fullDescription"`
	Help          message        `json:"help"`
	HelpURI       string         `json:"helpUri,omitempty"`
	Configuration configuration  `json:"defaultConfiguration"`
	Properties    ruleProperties `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

type ruleProperties struct {
	Tags []string `json:"tags"`
}

type message struct {
	Text string `json:"text"`
}

type automation struct {
	ID string `json:"id"`
}

type invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Notifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

type result struct {
	RuleID       string       `json:"ruleId"`
	RuleIndex    int          `json:"ruleIndex"`
	Level        string       `json:"level"`
	Message      message      `json:"message"`
	Locations    []location   `json:"locations"`
	Fingerprints fingerprints `json:"partialFingerprints"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI string `json:"uri"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type fingerprints struct {
	Line string `json:"primaryLocationLineHash"`
}
