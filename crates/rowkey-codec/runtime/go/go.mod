module rowkey

go 1.23
